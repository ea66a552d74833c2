import { useState } from 'preact/hooks';
import { role as ownRole } from '../../app/session.js';
import { Select } from '../../components/select.js';
import type { Role } from '../../config/config.js';
import { t } from '../../messages/messages.js';

/** Only an owner grants the role of an owner. */
const grantableRoles = (): Record<string, string> =>
  Object.fromEntries(Object.entries(t.roles).filter(([role]) => role !== 'owner' || ownRole.value === 'owner'));

/** A role, and what it may do. */
export function RoleSelect({ role: initial }: { role: Role }) {
  const [role, setRole] = useState<string>(initial);
  return (
    <>
      <input type="hidden" name="role" value={role} />
      <Select label={t.members.role} value={role} options={grantableRoles()} onChange={setRole} />
      <p class="hint">{t.members.rights[role as Role]}</p>
    </>
  );
}
