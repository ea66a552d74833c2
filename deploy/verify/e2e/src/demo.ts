export interface Demo {
  base_url: string;
  short_url: string;
  workspace: string;
  dns_servers: string;
  users: Record<string, { email: string; password: string; token: string }>;
}

export type Step = (line: string) => void;
