import type { Webhook } from '../../api/webhooks.js';
import { Icon } from '../../components/icon.js';
import { t } from '../../messages/messages.js';

const LOOKS = {
  healthy: { kind: 'ok', icon: 'check' },
  failing: { kind: 'danger', icon: 'alert' },
  disabled: { kind: '', icon: 'archive' },
} as const;

export function Health({ webhook }: { webhook: Webhook }) {
  const { kind, icon } = LOOKS[webhook.status];
  return (
    <span class={`badge ${kind}`}>
      <Icon name={icon} />
      {t.webhooks.statuses[webhook.status]}
      {webhook.status === 'failing' && ` · ${t.webhooks.failures(webhook.consecutive_failures)}`}
    </span>
  );
}
