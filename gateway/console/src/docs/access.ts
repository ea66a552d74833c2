import { computed, signal } from '@preact/signals';
import type { Operation } from './document.js';
import { messageOf, send } from './request.js';

/** Session storage: the token ends with the tab, and no other tab reads it. */
const KEY = 'waymark.docs.token';

export interface Workspace {
  slug: string;
  name: string;
  role: string;
}

type State = { token: string; workspace?: Workspace; problem?: string };

const access = signal<State>({ token: '' });

export const token = computed(() => access.value.token);
export const workspace = computed(() => access.value.workspace);
export const tokenProblem = computed(() => access.value.problem);

const LIST_WORKSPACES: Operation = {
  id: 'workspaces_list',
  method: 'GET',
  path: '/api/v1/workspaces',
  summary: '',
  description: '',
  permission: '',
  access: 'token',
  parameters: [],
  answers: [],
};

/** Keeps the token for this tab if the API accepts it. */
export async function enterToken(text: string): Promise<void> {
  // Bytes that no header can have would make `fetch` throw.
  const typed = text.replaceAll(/[^\x21-\x7e]/g, '');
  access.value = { token: '' };
  try {
    const result = await send(LIST_WORKSPACES, { parameters: {}, body: '' }, typed);
    if (result.status !== 200) return forget(messageOf(result));
    const [found] = (result.json as { data: Workspace[] }).data;
    sessionStorage.setItem(KEY, typed);
    access.value = { token: typed, workspace: found };
  } catch {
    access.value = { token: '', problem: 'The API cannot be reached. Try again.' };
  }
}

/** Uses the token that the tab has kept over a reload. */
export async function restoreToken(): Promise<void> {
  const kept = sessionStorage.getItem(KEY);
  if (kept !== null) await enterToken(kept);
}

export function forget(problem?: string): void {
  sessionStorage.removeItem(KEY);
  access.value = { token: '', problem };
}
