/** What a shell or a test runner may set that would make a playground's n8n behave unlike anyone else's. */
const foreign = /^(N8N_|DB_|EXECUTIONS_|QUEUE_|WEBHOOK_|GENERIC_|NODE_|VITEST|npm_)/;

const quiet = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_AI_GATEWAY_ENABLED: 'false',
	// The catalog of verified packages comes from n8n's servers; installed packages do not need it.
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	// These parts ask n8n's servers at every start, or need a model.
	N8N_DISABLED_MODULES: 'mcp-registry,instance-ai,agents,chat-hub,quick-connect',
	N8N_PYTHON_ENABLED: 'false',
};

/** The environment of a quiet n8n: reachable only from this machine, and calling nobody else's servers. */
export function n8nEnvironment(folder: string, port: number, brokerPort: number) {
	const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name));
	return {
		...Object.fromEntries(inherited),
		...quiet,
		// The sandbox and the editor are on this machine.
		NO_PROXY: 'localhost,127.0.0.1,[::1]',
		N8N_USER_FOLDER: folder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		N8N_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
		// A browser keeps a secure cookie only on https.
		N8N_SECURE_COOKIE: 'false',
		GENERIC_TIMEZONE: 'America/New_York',
	};
}
