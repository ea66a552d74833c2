import type { DeliveryRow, Webhook } from '../../api/webhooks.js';
import { Icon } from '../../components/icon.js';
import { t } from '../../messages/messages.js';

const LOOKS = {
  healthy: { kind: 'ok', icon: 'check' },
  failing: { kind: 'danger', icon: 'alert' },
  disabled: { kind: '', icon: 'archive' },
} as const;

interface HealthProps {
  webhook: Webhook;
  latest?: DeliveryRow | undefined;
}

/** A test event that fails does not count as a failure of the endpoint, but the endpoint is not shown as healthy then. */
export function Health({ webhook, latest }: HealthProps) {
  const hasJustFailed = webhook.status === 'healthy' && latest?.status === 'failed';
  const { kind, icon } = hasJustFailed ? LOOKS.failing : LOOKS[webhook.status];
  return (
    <span class={`badge ${kind}`}>
      <Icon name={icon} />
      {hasJustFailed ? t.webhooks.lastFailed : t.webhooks.statuses[webhook.status]}
      {webhook.status === 'failing' && ` · ${t.webhooks.failures(webhook.consecutive_failures)}`}
    </span>
  );
}
