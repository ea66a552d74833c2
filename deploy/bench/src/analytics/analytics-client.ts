import { IDENTITY_HEADER, signIdentity } from '@waymark/shared/kernel/identity';
import type { AnalyticsInstallation } from '../analytics-installation.js';

/** Asks the service itself, as the gateway would: what is measured is its work alone. */
export class AnalyticsClient {
  private readonly base: string;

  constructor(
    private readonly installation: AnalyticsInstallation,
    private readonly workspace: string,
  ) {
    this.base = `${installation.analytics.url}/api/v1/workspaces/${workspace}/analytics`;
  }

  /** @throws Error for anything but success */
  async get(path: string): Promise<Response> {
    const response = await fetch(this.base + path, { headers: { [IDENTITY_HEADER]: this.identity() } });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response;
  }

  private identity(): string {
    return signIdentity(this.installation.secrets.privateKey, 'analytics', {
      actor: { type: 'user', id: 'usr_1', name: 'Bench', email: 'bench@example.com', token_id: null },
      workspace: {
        slug: this.workspace,
        role: 'owner',
        abilities: ['read'],
        plan: { name: 'enterprise', activeLinks: null, customDomains: null, entitlements: [] },
      },
      session_id: null,
      request_id: 'bench',
      ip_address: '127.0.0.1',
    });
  }
}
