import { definitionsOf, permissionsByUser } from '@waymark/kernel/broker/definitions';

const NAMESPACE = 'waymark';

/** The content of `deploy/k8s/broker/installation.json`: without a virtual host, which the operator chooses. */
export function installationFile(): string {
  const { exchanges, queues, bindings, policies } = definitionsOf('', NAMESPACE);
  const users = Object.entries(permissionsByUser(NAMESPACE)).map(
    ([service, { permissions, topicPermissions }]) =>
      [service, { permissions, topic_permissions: topicPermissions }] as const,
  );
  const installation = {
    exchanges: exchanges.map(withoutVhost),
    queues: queues.map(withoutVhost),
    bindings: bindings.map(withoutVhost),
    policies: policies.map(withoutVhost),
    users: Object.fromEntries(users),
  };
  return `${JSON.stringify(installation, null, 2)}\n`;
}

function withoutVhost<T extends { vhost: string }>({ vhost: _vhost, ...rest }: T): Omit<T, 'vhost'> {
  return rest;
}
