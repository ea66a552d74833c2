import type { Request, Response } from 'express';
import type { Identity } from '@waymark/contract/identity';
import { abortSignalOf } from '@waymark/kernel/http/abort-signal';
import { networkOf } from '@waymark/kernel/limits/networks';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';

const PENDING_MAX = 1024;
const PENDING_PER_CALLER = 128;
const PENDING_PER_WORKSPACE = 256;

export const identityOf = (response: Response): Identity => response.locals['identity'] as Identity;

/**
 * Limits the pending requests to one service, by caller (a user, or the address of a request without one) and by workspace. Further
 * ones wait. Reads and changes have places of their own: reads do not wait for slow changes.
 */
export class RequestPlaces {
  private readonly callers = new KeyedLimit({ total: PENDING_MAX, perKey: PENDING_PER_CALLER });
  private readonly workspaces = new KeyedLimit({ total: Infinity, perKey: PENDING_PER_WORKSPACE });

  /**
   * @returns releases the place; further calls do nothing
   * @throws AppError `service_unavailable` when the request waits too long; an `AbortError` when the client has gone meanwhile
   */
  async acquire(request: Request, response: Response): Promise<() => void> {
    const { actor, ip_address: address, workspace } = identityOf(response);
    const kind = request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'change';
    const caller = `${kind} ${actor.id ?? networkOf(address ?? '')}`;
    const signal = abortSignalOf(response);
    if (workspace === null) return this.callers.acquire(caller, signal);
    const releaseWorkspace = await this.workspaces.acquire(`${kind} ${workspace.slug}`, signal);
    try {
      const releaseCaller = await this.callers.acquire(caller, signal);
      return () => {
        releaseCaller();
        releaseWorkspace();
      };
    } catch (error) {
      releaseWorkspace();
      throw error;
    }
  }
}
