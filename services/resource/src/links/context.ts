import type { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { ResourceConfig } from '../config.js';
import type { DestinationRules } from './admit-destinations.js';
import type { CodeStore } from './code-store.js';
import type { ContentType } from './content-type.js';
import type { LinkStore } from './link-store.js';
import type { ContainerPort, DomainPort, LinkTag, LogoPort, UtmTemplatePort } from './ports.js';
import type { TurnContext } from './run-change.js';
import type { StatusCounts } from './status-counts.js';

/** The items that links refer to. */
export interface ReferenceContext {
  folders: ContainerPort<{ _id: string }>;
  tags: ContainerPort<LinkTag>;
  utmTemplates: UtmTemplatePort;
  domains: DomainPort;
  /** Returns whether the domain can take links. */
  ensureDomainUsable: (workspace: string, id: string) => Promise<boolean>;
}

export type TagContext = Pick<ReferenceContext, 'folders' | 'tags'>;

export interface DestinationContext {
  domains: Pick<DomainPort, 'findServedHosts'>;
  leadsToShortHost: (url: URL) => boolean;
}

export interface SaveContext extends Pick<ReferenceContext, 'folders' | 'tags' | 'domains'> {
  config: Pick<ResourceConfig, 'SHORT_BASE_URL'>;
  contentType: ContentType;
  counts: StatusCounts;
  codes: CodeStore;
  links: LinkStore;
}

/** What a change of a link needs. */
export interface ChangeContext extends SaveContext, ReferenceContext, TurnContext {
  leadsToShortHost: DestinationContext['leadsToShortHost'];
  destinationRules: DestinationRules;
}

export interface ListContext extends Pick<
  SaveContext,
  'contentType' | 'links' | 'counts' | 'folders' | 'tags' | 'domains'
> {
  /** Bounds the lists that are read at the same time. */
  lists: KeyedLimit;
  /** Bounds the batches of exports that are read at the same time. */
  exportBatches: KeyedLimit;
}

export interface LinkContext extends ChangeContext, ListContext {
  logos: LogoPort;
}
