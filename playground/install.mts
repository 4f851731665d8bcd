/** Installs n8n ahead of time. Whoever needs it meanwhile waits. */
import { installHost } from './host.mts';

await installHost();
