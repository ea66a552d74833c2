import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '@waymark/launcher/process-table';
import type { DeploymentName } from './process-facts.js';

export interface ComposeService {
  image: string;
  profiles?: string[];
  entrypoint?: string[];
  command?: string[];
  hostname?: string;
  mem_limit?: string;
  ports?: string[];
  networks?: string[];
  volumes?: string[];
  environment?: Record<string, string>;
  restart?: string;
  read_only?: boolean;
  tmpfs?: string[];
  user?: string;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  logging?: { driver: string; options: Record<string, string> };
  healthcheck?: { test: string[] };
  build?: { dockerfile: string; context: string; args: Record<string, string> };
  depends_on?: Record<string, { condition: string }>;
}

export interface ComposeFile {
  name: string;
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean; driver_opts?: Record<string, string> } | null>;
  volumes: Record<string, unknown>;
}

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** `${NAME:-default}`, also one within the default of another. */
function interpolate(text: string, env: Record<string, string>): string {
  const next = text.replace(/\$\{(\w+):-([^${}]*)\}/g, (_, name: string, fallback: string) => env[name] || fallback);
  return next === text ? text : interpolate(next, env);
}

/** The file as `docker compose` reads it for a deployment: with its variables and of its profile. */
export function composeFile(deployment: DeploymentName, env: Record<string, string> = {}): ComposeFile {
  const given = { DEPLOYMENT: deployment, ...env };
  const profile = /^COMPOSE_PROFILES=(.*)$/m.exec(interpolate(read('.env'), given))?.[1];
  const interpolated = (_key: string, value: unknown) =>
    typeof value === 'string' ? interpolate(value, given) : value;
  // As Compose does it: values are filled in after the YAML has been read.
  const document: unknown = parse(read('docker-compose.yml'), { merge: true });
  const file = JSON.parse(JSON.stringify(document), interpolated) as ComposeFile;
  const services = Object.entries(file.services).filter(([, { profiles }]) => !profiles || profiles.includes(profile!));
  return { ...file, services: Object.fromEntries(services) };
}
