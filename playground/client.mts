import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Owner {
	email: string;
	password: string;
	firstName: string;
	lastName: string;
}

export interface Node {
	id?: string;
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string; name: string }>;
	[field: string]: unknown;
}

export interface Workflow {
	name: string;
	nodes: Node[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

export type SavedWorkflow = Workflow & { id: string; versionId: string; active: boolean };

export interface Credential {
	id: string;
	name: string;
	type: string;
}

interface Publication {
	status: string;
	triggers: Array<{ errorMessage: string | null }>;
}

/** What the playground and the tests ask n8n for, through the editor's own interface. */
export class N8nClient {
	private cookie = '';

	private readonly browserId = randomUUID();

	private constructor(readonly address: string) {}

	/** Signs in as the owner, who is created on a new instance. */
	static async signIn(address: string, owner: Owner): Promise<N8nClient> {
		const client = new N8nClient(address);
		const { userManagement } = await client.request<{
			userManagement: { showSetupOnFirstLoad: boolean };
		}>('GET', '/rest/settings');
		const { email: emailOrLdapLoginId, password } = owner;
		if (userManagement.showSetupOnFirstLoad)
			await client.request('POST', '/rest/owner/setup', owner);
		else await client.request('POST', '/rest/login', { emailOrLdapLoginId, password });
		return client;
	}

	async request<T>(method: string, path: string, body?: unknown): Promise<T> {
		const response = await fetch(`${this.address}${path}`, {
			method,
			headers: {
				'browser-id': this.browserId,
				...(this.cookie && { cookie: this.cookie }),
				...(body !== undefined && { 'content-type': 'application/json' }),
			},
			...(body !== undefined && { body: JSON.stringify(body) }),
			signal: AbortSignal.timeout(60_000),
		});
		const session = response.headers.getSetCookie().find((one) => one.startsWith('n8n-auth='));
		if (session) this.cookie = session.split(';', 1)[0] ?? '';
		const text = await response.text();
		if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
		const answer = JSON.parse(text) as { data?: T };
		return (answer.data ?? answer) as T;
	}

	async nodeTypes(): Promise<Array<{ name: string; displayName: string }>> {
		return await this.request('GET', '/types/nodes.json');
	}

	async credentialTypes(): Promise<Array<{ name: string; displayName: string }>> {
		return await this.request('GET', '/types/credentials.json');
	}

	async credentials(): Promise<Credential[]> {
		return await this.request('GET', '/rest/credentials');
	}

	/** Creates the credential, or updates the one with this name. */
	async saveCredential(
		name: string,
		type: string,
		data: Record<string, string>,
	): Promise<Credential> {
		const all = await this.credentials();
		const existing = all.find((one) => one.name === name && one.type === type);
		return existing
			? await this.request('PATCH', `/rest/credentials/${existing.id}`, { name, type, data })
			: await this.request('POST', '/rest/credentials', { name, type, data });
	}

	async testCredential(
		{ id, name, type }: Credential,
		data: Record<string, string>,
	): Promise<{ status: 'OK' | 'Error'; message: string }> {
		const credentials = { id, name, type, data };
		return await this.request('POST', '/rest/credentials/test', { credentials });
	}

	async workflows(): Promise<SavedWorkflow[]> {
		return await this.request('GET', '/rest/workflows');
	}

	async workflow(id: string): Promise<SavedWorkflow> {
		return await this.request('GET', `/rest/workflows/${id}`);
	}

	/** How many executions a workflow has had, and the latest of them, newest first. */
	async executions(
		workflowId: string,
	): Promise<{ count: number; results: Array<{ id: string; status: string }> }> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		return await this.request('GET', `/rest/executions?filter=${filter}`);
	}

	async createWorkflow(workflow: Workflow): Promise<SavedWorkflow> {
		return await this.request('POST', '/rest/workflows', { ...workflow, active: false });
	}

	async changeWorkflow(id: string, change: Partial<Workflow>): Promise<SavedWorkflow> {
		const { versionId } = await this.workflow(id);
		return await this.request('PATCH', `/rest/workflows/${id}`, { ...change, versionId });
	}

	/** Publishes the workflow as it is, and returns when its triggers run. */
	async activate(id: string): Promise<void> {
		const { versionId } = await this.workflow(id);
		await this.request('POST', `/rest/workflows/${id}/activate`, { versionId });

		let publication: Publication;
		do {
			await sleep(100);
			publication = await this.request('GET', `/rest/workflows/${id}/publication-status`);
			// n8n looks in two places at once: just as it finishes, it may find nothing in either.
		} while (['in_progress', 'not_published'].includes(publication.status));
		const { status, triggers } = publication;
		if (status === 'published') return;
		const reasons = triggers.map(({ errorMessage }) => errorMessage).filter(Boolean);
		throw new Error(`The workflow was not published (${status}): ${reasons.join('; ')}`);
	}

	async deactivate(id: string): Promise<void> {
		await this.request('POST', `/rest/workflows/${id}/deactivate`, {});
	}
}
