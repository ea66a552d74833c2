import { useState } from 'preact/hooks';
import { createToken, listTokens, revokeToken, type Token } from '../../api/tokens.js';
import { useLoad } from '../../app/load.js';
import { can, user, workspace } from '../../app/session.js';
import { SecretDialog } from '../../components/secret-dialog.js';
import { Field } from '../../components/field.js';
import { FormDialog, type Fields } from '../../components/form.js';
import { ListPanel, Row } from '../../components/list.js';
import { Page } from '../../components/page.js';
import { Select } from '../../components/select.js';
import { useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { formatDay, formatRecent } from '../../format/format.js';
import { t } from '../../messages/messages.js';

const words = t.tokens;
const DAY_MS = 86_400_000;

export default function TokensPage() {
  const { state, reload } = useLoad(workspace.value, () => listTokens(workspace.value));
  const [isCreating, setCreating] = useState(false);
  const [plaintext, setPlaintext] = useState<string>();
  const [revoked, setRevoked] = useState<Token>();
  const tokens = state.value.data ?? [];
  return (
    <Page
      title={words.title}
      actions={
        can('tokens.create') && (
          <button type="button" class="button primary" onClick={() => setCreating(true)}>
            {words.create}
          </button>
        )
      }
    >
      <ListPanel
        title={words.list}
        isTitleHidden
        loaded={state.value}
        empty={<p>{words.empty}</p>}
        row={(token) => <TokenRow key={token.id} {...{ token, tokens }} onRevoke={() => setRevoked(token)} />}
      />
      {isCreating && (
        <CreateToken
          onClose={() => setCreating(false)}
          onCreated={(text) => {
            setCreating(false);
            setPlaintext(text);
            void reload(true);
          }}
        />
      )}
      {plaintext !== undefined && (
        <SecretDialog
          title={words.createdTitle}
          text={words.createdText}
          label={words.plaintext}
          secrets={[plaintext]}
          onClose={() => setPlaintext(undefined)}
        />
      )}
      {revoked && (
        <RevokeToken
          token={revoked}
          hasMinted={tokens.some(({ created_by_token_id }) => created_by_token_id === revoked.id)}
          onClose={() => setRevoked(undefined)}
          onRevoked={() => {
            setRevoked(undefined);
            showToast({ text: words.revoked(revoked.name) });
            void reload(true);
          }}
        />
      )}
    </Page>
  );
}

interface RowProps {
  token: Token;
  tokens: readonly Token[];
  onRevoke: () => void;
}

function TokenRow({ token, tokens, onRevoke }: RowProps) {
  const minter = tokens.find(({ id }) => id === token.created_by_token_id);
  const facts = [
    token.last_used_at ? words.lastUsed(formatRecent(token.last_used_at)) : words.neverUsed,
    token.expires_at ? words.expires(formatDay(token.expires_at)) : words.neverExpires,
  ];
  const texts = [
    `${token.token_prefix}…`,
    token.user.id === user.value?.id ? words.yours : token.user.name,
    ...(token.created_by_token_id ? [words.mintedBy(minter?.name ?? token.created_by_token_id)] : []),
  ];
  return (
    <Row
      title={
        <>
          {token.name}
          <span class="badge">{words.scopes[token.scope]}</span>
        </>
      }
      text={texts.join(' · ')}
      facts={facts.join(' · ')}
      actions={
        can('tokens.revoke') && (
          <button type="button" class="button small" aria-label={words.revokeOf(token.name)} onClick={onRevoke}>
            {words.revoke}
          </button>
        )
      }
    />
  );
}

function CreateToken({ onClose, onCreated }: { onClose: () => void; onCreated: (plaintext: string) => void }) {
  const task = useTask(async ({ name, scope, days }: Fields) => {
    const expires_at = days ? new Date(Date.now() + Number(days) * DAY_MS).toISOString() : null;
    const body = { name: name!, scope: scope as 'read_only' | 'read_write', expires_at };
    onCreated(await createToken(workspace.value, body));
  });
  return (
    <FormDialog title={words.createTitle} fields={['name']} task={task} submit={words.create} onClose={onClose}>
      <Field
        label={words.name}
        hint={words.nameHint}
        name="name"
        maxLength={100}
        autoComplete="off"
        data-focus
        problem={task.failure?.of('name')}
      />
      <Select label={words.scope} name="scope" options={words.newScopes} />
      <Select label={words.expiry} name="days" options={words.expiries} value="90" />
    </FormDialog>
  );
}

interface RevokeProps {
  token: Token;
  hasMinted: boolean;
  onClose: () => void;
  onRevoked: () => void;
}

function RevokeToken({ token, hasMinted, onClose, onRevoked }: RevokeProps) {
  const task = useTask(async ({ cascade }: Fields) => {
    // Without the choice too: a token that it minted and that is revoked may have minted others.
    await revokeToken(workspace.value, token.id, !hasMinted || cascade === 'on');
    onRevoked();
  });
  return (
    <FormDialog title={words.revokeTitle(token.name)} task={task} submit={words.revoke} isDanger onClose={onClose}>
      <p>{words.revokeText}</p>
      {hasMinted && (
        <label class="option">
          <input type="checkbox" name="cascade" defaultChecked />
          {words.cascade}
        </label>
      )}
    </FormDialog>
  );
}
