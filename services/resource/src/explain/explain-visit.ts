import type { ExplainBody, ExplanationBody } from '@waymark/contract/explain';
import { UTM_KEYS } from '@waymark/contract/links';
import { explainVisit } from '@waymark/contract/requests';
import { AppError, missing } from '@waymark/kernel/errors';
import { BrokerUnavailable } from '@waymark/kernel/broker/publisher';
import type { Requester } from '@waymark/kernel/broker/requests';
import type { SaveContext } from '../links/context.js';
import { shortUrl, type Link } from '../links/link.js';

export interface ExplainContext extends Pick<SaveContext, 'links' | 'contentType' | 'config'> {
  requester: Requester;
}

const ANSWER_TIMEOUT_MS = 5000;
/** The user agent of a visitor whose browser the request does not name. */
const DESKTOP_BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/**
 * Asks a redirect what a visitor gets: it decides as it does for visitors, and counts nothing.
 * @throws AppError `not_found` for the id of a link that does not exist, `service_unavailable` while no redirect answers
 */
export async function explain(
  { links, contentType, config, requester }: ExplainContext,
  workspace: string,
  body: ExplainBody,
): Promise<ExplanationBody> {
  const id = body.link_id ?? body.qr_code_id;
  const named = id == null ? null : await links.findLink(workspace, id);
  if (id != null && !named) throw missing(contentType.noun, id);
  const question = {
    workspace,
    url: named ? shortUrl(named, config.SHORT_BASE_URL) : body.url!,
    user_agent: body.user_agent ?? DESKTOP_BROWSER,
    at: body.at ?? new Date().toISOString(),
  };
  const { explanation, link_id: linkId } = await requester
    .ask(explainVisit, question, ANSWER_TIMEOUT_MS)
    .catch((error: unknown) => {
      if (!(error instanceof BrokerUnavailable)) throw error;
      throw new AppError('service_unavailable', 'No redirect answers right now. Try again in a moment.');
    });
  const link = named ?? (linkId === null ? null : await links.findLink(workspace, linkId));
  return link ? withUtmDefaults(explanation, link) : explanation;
}

/** The redirect keeps the UTM parameters of a link merged into its destination. */
function withUtmDefaults(explanation: ExplanationBody, { utmDefaults }: Link): ExplanationBody {
  const isDefault = (name: string) => UTM_KEYS.some((key) => key === name && utmDefaults[key]);
  const parameters = explanation.parameters.map((parameter) =>
    parameter.from === 'destination' && isDefault(parameter.name)
      ? { ...parameter, from: 'utm_defaults' as const }
      : parameter,
  );
  return { ...explanation, parameters };
}
