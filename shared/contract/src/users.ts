import { z } from 'zod';
import { item, list, nameOf, requiredText, timestamp } from './common.js';
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

const PASSWORD_MIN = 10;
const PASSWORD_MAX = 128;

/** A password that a user chooses; whether it is a common one is checked by auth. */
export const passwordOf = (name: string) =>
  requiredText(name)
    .min(PASSWORD_MIN, `The ${name} must have at least ${PASSWORD_MIN} characters.`)
    .max(PASSWORD_MAX, `The ${name} must have at most ${PASSWORD_MAX} characters.`);

export const updateUser = z.object({ name: nameOf(100) }).partial();

export const changePassword = z.object({
  current_password: credential('current_password', 1024),
  new_password: passwordOf('new_password'),
});

export const session = z.object({
  id: z.string(),
  created_at: timestamp,
  last_seen_at: timestamp.meta({ description: 'Up to a minute older than the last request of the session.' }),
  ip_address: z.string().nullable().meta({ description: 'The address that the user signed in from.' }),
  user_agent: z.string().nullable().meta({ description: 'The browser that the user signed in with.' }),
  current: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
});
export type SessionBody = z.infer<typeof session>;

export const signIn = z.object({ email: emailText, password: credential('password', 1024) });

export const userRoutes = {
  'user.show': {
    method: 'GET',
    path: '/user',
    service: 'auth',
    access: { kind: 'user' },
    response: { status: 200, schema: item(user), unversionedSchema: user },
  },
  'user.update': {
    method: 'PATCH',
    path: '/user',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    body: updateUser,
    response: { status: 200, schema: item(user) },
  },
  'user.changePassword': {
    method: 'POST',
    path: '/user/password',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    body: changePassword,
    response: { status: 204 },
  },
  'session.list': {
    method: 'GET',
    path: '/sessions',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    response: { status: 200, schema: list(session) },
  },
  'session.endOthers': {
    method: 'DELETE',
    path: '/sessions',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    response: { status: 204 },
  },
  'session.end': {
    method: 'DELETE',
    path: '/sessions/{id}',
    versions: ['v1'],
    service: 'auth',
    access: { kind: 'session' },
    response: { status: 204 },
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
