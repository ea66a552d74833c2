import { z } from 'zod';
import { item, requiredText, timestamp } from './common.js';
import { planName } from './plans.js';
import { role } from './roles.js';
import type { RouteDefinition } from './route.js';

export const user = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  created_at: timestamp,
  workspaces: z.array(z.object({ slug: z.string(), name: z.string(), role, plan: planName })),
  token: z.object({ id: z.string(), name: z.string(), abilities: z.array(z.string()) }).nullable(),
});
export type UserBody = z.infer<typeof user>;

const credential = (name: string, max: number) =>
  requiredText(name).min(1, `The ${name} is required.`).max(max, `The ${name} must be at most ${max} characters.`);
export const emailText = credential('email', 320);

export const signIn = z.object({ email: emailText, password: credential('password', 1024) });

export const userRoutes = {
  'user.show': {
    method: 'GET',
    path: '/user',
    service: 'auth',
    access: { kind: 'user' },
    response: { status: 200, schema: item(user), unversionedSchema: user },
  },
  'session.create': {
    method: 'POST',
    path: '/session',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'public' },
    body: signIn,
    response: { status: 200, schema: item(user, z.object({ csrf_token: z.string() })) },
  },
  'session.delete': {
    method: 'DELETE',
    path: '/session',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    response: { status: 204 },
  },
} as const satisfies Record<string, RouteDefinition>;
