import { FormDialog, type Fields } from '../../components/form.js';
import { useTask } from '../../components/task.js';
import type { Role } from '../../config/config.js';
import { t } from '../../messages/messages.js';
import { RoleSelect } from './role-select.js';

const words = t.members;

interface DialogProps {
  name: string;
  role: Role;
  save: (role: Role) => Promise<unknown>;
  onClose: () => void;
}

export function RoleDialog({ name, role, save, onClose }: DialogProps) {
  const task = useTask(async (fields: Fields) => {
    await save(fields['role'] as Role);
    onClose();
  });
  return (
    <FormDialog title={words.roleTitle(name)} task={task} submit={t.save} onClose={onClose}>
      <RoleSelect role={role} />
    </FormDialog>
  );
}
