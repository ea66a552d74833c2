import { utmTemplateCreated, utmTemplateDeleted, utmTemplateUpdated } from '@waymark/contract/events';
import { UTM_KEYS, type UtmDefaults } from '@waymark/contract/links';
import type { CreateUtmTemplateBody, UtmTemplateBody } from '@waymark/contract/utm-templates';
import { NO_UTM, utmOf } from '../links/link.js';
import { valueOr, presentNamed, type NamedItem, type NamedItemKind } from './named-item.js';

export interface UtmTemplate extends NamedItem, UtmDefaults {
  description: string | null;
}

export const UTM_TEMPLATE: NamedItemKind<UtmTemplate, CreateUtmTemplateBody> = {
  target: 'utm_template',
  noun: 'UTM template',
  idPrefix: 'utm',
  events: { created: utmTemplateCreated, updated: utmTemplateUpdated, deleted: utmTemplateDeleted },
  audited: {
    name: 'name',
    description: 'description',
    ...(Object.fromEntries(UTM_KEYS.map((key) => [key, key])) as Record<keyof UtmDefaults, keyof UtmDefaults>),
  },
  blank: { description: null, ...NO_UTM },
  apply: (template, { name: _name, description, ...utm }) => ({
    ...template,
    ...utm,
    description: valueOr(description, template.description),
  }),
  nameKey: (name) => name,
  present: (template): UtmTemplateBody => ({
    ...presentNamed(template),
    description: template.description,
    ...utmOf(template),
  }),
};
