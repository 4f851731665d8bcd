# Windows: in the package's folder, after `npm ci --omit=dev`. The service starts when you log on.
$folder = Split-Path -Parent $PSScriptRoot
$arguments = 'florida/main.mjs --data "{0}\data" --contact you@example.com' -f $folder
$action = New-ScheduledTaskAction -Execute 'node.exe' -Argument $arguments -WorkingDirectory $folder
$trigger = New-ScheduledTaskTrigger -AtLogOn
$settings = New-ScheduledTaskSettingsSet -ExecutionTimeLimit 0 -RestartCount 3 -RestartInterval (New-TimeSpan -Minutes 5)
Register-ScheduledTask -TaskName 'Licensing Data Florida' -Action $action -Trigger $trigger -Settings $settings
