import { api, send, type Schemas } from './client.js';

export type Explanation = Schemas['Explanation'];

/** A visit to try; what is absent is as for a person at a desktop computer, now. */
export interface TriedVisit {
  url: string;
  user_agent: string;
  country?: string;
  language?: string;
  at?: string | null;
}

export const explainVisit = async (workspace: string, visit: TriedVisit): Promise<Explanation> =>
  (await send(api.POST('/api/v1/workspaces/{workspace}/explain', { params: { path: { workspace } }, body: visit })))
    .data;
