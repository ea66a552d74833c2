import { isCodeTaken } from '../patient-request.js';
import type { Progress } from '../progress.js';
import { FOLDERS, LINKS, SEARCH_WORD, TAGS, UTM_TEMPLATES, type LinkPlan } from './festival.js';
import { RequestRefused, type MemberClient } from './member-client.js';

export interface StoredLink {
  id: string;
  short_code: string;
  status: string;
  created_at: string;
}

type LinkFields = Pick<LinkPlan, 'short_code'>;

/** The content of the example: its links, or QR codes, and what links are sorted into. */
export class ExampleContent {
  private readonly path: string;

  constructor(
    private readonly editors: MemberClient,
    private readonly isQr: boolean,
    private readonly progress: Progress,
  ) {
    this.path = isQr ? '/qr-codes' : '/links';
  }

  /** Returns the links that exist, by their short codes. */
  async findLinks(): Promise<Map<string, StoredLink>> {
    const path = `${this.path}?search=${SEARCH_WORD}&per_page=100`;
    const { data } = await this.editors.send<{ data: StoredLink[] }>('GET', path);
    return new Map(data.map((link) => [link.short_code, link]));
  }

  /** Creates what is missing, with folders, tags and templates; returns all links of the example. */
  async ensureLinks(): Promise<(StoredLink & LinkPlan)[]> {
    const fieldsOf = this.isQr ? commonFields : await this.ensureContainers();
    const existing = await this.findLinks();
    const links = [];
    for (const plan of LINKS) {
      const link = existing.get(plan.short_code) ?? (await this.createLink(fieldsOf(plan)));
      if (link) links.push({ ...plan, ...link });
    }
    return links;
  }

  async archiveLink({ id }: StoredLink): Promise<void> {
    await this.editors.send('PATCH', `${this.path}/${id}`, { status: 'archived' });
  }

  /** @returns undefined when a link that is not of the example has the short code */
  private async createLink(fields: LinkFields): Promise<StoredLink | undefined> {
    try {
      return (await this.editors.send<{ data: StoredLink }>('POST', this.path, fields)).data;
    } catch (error) {
      if (!(error instanceof RequestRefused) || !isCodeTaken(error.answer)) throw error;
      this.progress(`the short code ${fields.short_code} is taken: the example goes without it`);
      return undefined;
    }
  }

  /** Creates folders, tags and templates; returns the fields of a new link, with their ids. */
  private async ensureContainers(): Promise<(plan: LinkPlan) => LinkFields> {
    const folders = await this.ensureNamed('/folders', FOLDERS);
    const tags = await this.ensureNamed('/tags', TAGS);
    const templates = await this.ensureNamed('/utm-templates', UTM_TEMPLATES);
    return (plan) => ({
      ...commonFields(plan),
      tag_ids: plan.tags.map((name) => tags.get(name)),
      ...(plan.folder !== undefined && { folder_id: folders.get(plan.folder) }),
      ...(plan.template !== undefined && { utm_template_id: templates.get(plan.template) }),
    });
  }

  /** @returns the ids by name */
  private async ensureNamed(path: string, items: { name: string }[]): Promise<Map<string, string>> {
    const { data } = await this.editors.send<{ data: { id: string; name: string }[] }>('GET', path);
    const ids = new Map(data.map(({ name, id }) => [name, id]));
    for (const item of items.filter(({ name }) => !ids.has(name))) {
      const created = await this.editors.send<{ data: { id: string } }>('POST', path, item);
      ids.set(item.name, created.data.id);
    }
    return ids;
  }
}

const commonFields = ({ short_code, title, destination_url, campaign_tag }: LinkPlan) => ({
  short_code,
  title,
  destination_url,
  campaign_tag,
});
