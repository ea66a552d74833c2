import {
  linksClient,
  qrClient,
  type ClientOptions,
  type LinksClient,
  type LinksSchemas,
  type QrClient,
  type QrSchemas,
} from '@waymark/client';
import { isCodeTaken } from '../patient-client.js';
import type { Progress } from '../progress.js';
import { FOLDERS, LINKS, SEARCH_WORD, TAGS, UTM_TEMPLATES, type LinkPlan } from './festival.js';

export interface StoredLink {
  id: string;
  short_code: string;
  status: string;
  created_at: string;
}

type LinkFields = LinksSchemas['LinkCreate'] & QrSchemas['QrCodeCreate'];

/** What both deployments can do, under paths of their own. */
interface Items {
  find(): AsyncIterable<StoredLink>;
  create(fields: LinkFields): Promise<StoredLink>;
  archive(id: string): Promise<unknown>;
}

const WORKSPACE = '/api/v1/workspaces/{workspace}';
type ContainersPath = `${typeof WORKSPACE}/${'folders' | 'tags' | 'utm-templates'}`;

/** The content of the example: its links, or QR codes, and what links are sorted into. */
export class ExampleContent {
  private readonly items: Items;
  private readonly client: LinksClient;
  private readonly params: { path: { workspace: string } };

  constructor(
    options: ClientOptions,
    workspace: string,
    private readonly isQr: boolean,
    private readonly progress: Progress,
  ) {
    this.client = linksClient(options);
    this.items = isQr ? qrCodesOf(qrClient(options), workspace) : linksOf(this.client, workspace);
    this.params = { path: { workspace } };
  }

  /** Returns the links that exist, by their short codes. */
  async findLinks(): Promise<Map<string, StoredLink>> {
    const links = await Array.fromAsync(this.items.find());
    return new Map(links.map((link) => [link.short_code, link]));
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
    await this.items.archive(id);
  }

  /** @returns undefined when a link that is not of the example has the short code */
  private async createLink(fields: LinkFields): Promise<StoredLink | undefined> {
    try {
      return await this.items.create(fields);
    } catch (error) {
      if (!isCodeTaken(error)) throw error;
      this.progress(`the short code ${fields.short_code} is taken: the example goes without it`);
      return undefined;
    }
  }

  /** Creates folders, tags and templates; returns the fields of a new link, with their ids. */
  private async ensureContainers(): Promise<(plan: LinkPlan) => LinkFields> {
    const folders = await this.ensureNamed(`${WORKSPACE}/folders`, FOLDERS);
    const tags = await this.ensureNamed(`${WORKSPACE}/tags`, TAGS);
    const templates = await this.ensureNamed(`${WORKSPACE}/utm-templates`, UTM_TEMPLATES);
    return (plan) => ({
      ...commonFields(plan),
      tag_ids: plan.tags.map((name) => tags.get(name)!),
      ...(plan.folder !== undefined && { folder_id: folders.get(plan.folder) }),
      ...(plan.template !== undefined && { utm_template_id: templates.get(plan.template) }),
    });
  }

  /** @returns the ids by name */
  private async ensureNamed(path: ContainersPath, items: { name: string }[]): Promise<Map<string, string>> {
    const { params } = this;
    const { data } = (await this.client.GET(path, { params })).data;
    const ids = new Map(data.map(({ name, id }) => [name, id]));
    for (const body of items.filter(({ name }) => !ids.has(name))) {
      const created = (await this.client.POST(path, { params, body })).data;
      ids.set(body.name, created.data.id);
    }
    return ids;
  }
}

function linksOf(client: LinksClient, workspace: string): Items {
  const params = { path: { workspace } };
  return {
    find: () => client.paginate(`${WORKSPACE}/links`, { params: { ...params, query: { search: SEARCH_WORD } } }),
    create: async (body) => (await client.POST(`${WORKSPACE}/links`, { params, body })).data.data,
    archive: (id) =>
      client.PATCH(`${WORKSPACE}/links/{id}`, { params: { path: { workspace, id } }, body: { status: 'archived' } }),
  };
}

function qrCodesOf(client: QrClient, workspace: string): Items {
  const params = { path: { workspace } };
  return {
    find: () => client.paginate(`${WORKSPACE}/qr-codes`, { params: { ...params, query: { search: SEARCH_WORD } } }),
    create: async (body) => (await client.POST(`${WORKSPACE}/qr-codes`, { params, body })).data.data,
    archive: (id) =>
      client.PATCH(`${WORKSPACE}/qr-codes/{id}`, { params: { path: { workspace, id } }, body: { status: 'archived' } }),
  };
}

const commonFields = ({ short_code, title, destination_url, campaign_tag }: LinkPlan) => ({
  short_code,
  title,
  destination_url,
  campaign_tag,
});
