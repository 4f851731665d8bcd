/**
 * Preloaded into n8n. The channel to the process that started it closes when that process ends, however it
 * ends; n8n then stops too, instead of keeping its port and database to itself.
 */
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
