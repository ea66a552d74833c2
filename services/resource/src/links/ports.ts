import type { ClientSession } from 'mongoose';
import type { UtmDefaults } from '@waymark/contract/links';
import type { FieldProblems } from '@waymark/contract/problems';

/** What links need of the features above them. */

export interface LinkCountChange {
  workspace: string;
  id: string;
  difference: number;
}

interface CountedStore {
  /** @returns false if links cannot be added, since the item is gone or does not serve */
  countLinks(change: LinkCountChange, session: ClientSession): Promise<boolean>;
}

export interface LinkTag {
  _id: string;
  name: string;
  color: string | null;
}

/** Folders or tags. */
export interface ContainerPort<Item extends { _id: string }> extends CountedStore {
  findItem(workspace: string, id: string): Promise<{ linksCount: number } | null>;
  findItems(workspace: string, ids: string[], session?: ClientSession): Promise<Item[]>;
}

export interface UtmTemplatePort {
  findItems(workspace: string, ids: string[], session?: ClientSession): Promise<(UtmDefaults & { _id: string })[]>;
}

export interface LinkDomain {
  _id: string;
  hostname: string;
}

export interface DomainPort extends CountedStore {
  findDomain(workspace: string, id: string): Promise<{ linksCount: number } | null>;
  findDomains(workspace: string, ids: string[], session?: ClientSession): Promise<LinkDomain[]>;
  /** Returns those of the hostnames that serve the links of some workspace. */
  findServedHosts(hostnames: string[]): Promise<Set<string>>;
}

export interface LogoPort {
  checkLogo(workspace: string, logoUrl: string | null | undefined): Promise<FieldProblems>;
  /** Returns the logo, scaled down if it is larger than it is ever drawn. */
  fitLogo(workspace: string, logoUrl: string): Promise<string>;
}
