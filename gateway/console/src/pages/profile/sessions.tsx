import { useState } from 'preact/hooks';
import { endOtherSessions, endSession, listSessions, type Session } from '../../api/account.js';
import { useLoad } from '../../app/load.js';
import { Confirm } from '../../components/dialog.js';
import { ListPanel, Row } from '../../components/list.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { formatMoment } from '../../format/format.js';
import { t } from '../../messages/messages.js';

const words = t.profile;

export function Sessions() {
  const { state, reload } = useLoad('sessions', listSessions);
  const [isAsked, ask] = useState(false);
  const end = useTask(async (id: string) => {
    await endSession(id);
    await reload(true);
  });
  const endOthers = useTask(async () => {
    await endOtherSessions();
    await reload(true);
  });
  const hasOthers = state.value.data?.some(({ current }) => !current);
  return (
    <>
      <ListPanel
        title={words.sessions}
        loaded={state.value}
        empty={t.none}
        action={
          hasOthers && (
            <button type="button" class="button small" onClick={() => ask(true)}>
              {words.endOthers}
            </button>
          )
        }
        row={(session) => <SessionRow key={session.id} session={session} onEnd={() => void end.start(session.id)} />}
      />
      <FailureNotice failure={end.failure ?? endOthers.failure} />
      {isAsked && (
        <Confirm
          title={words.endTitle}
          body={words.endText}
          yes={words.endOthers}
          no={words.keep}
          onConfirm={() => void endOthers.start()}
          onClose={() => ask(false)}
        />
      )}
    </>
  );
}

function SessionRow({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const browser = browserOf(session.user_agent);
  return (
    <Row
      title={
        <>
          {browser}
          {session.current && <span class="badge ok">{words.current}</span>}
        </>
      }
      text={session.ip_address}
      facts={[
        words.signedIn(formatMoment(session.created_at)),
        words.lastSeen(formatMoment(session.last_seen_at)),
      ].join(' · ')}
      actions={
        !session.current && (
          <button type="button" class="button small" aria-label={words.endOf(browser)} onClick={onEnd}>
            {words.end}
          </button>
        )
      }
    />
  );
}

/** In this order: browsers also name the ones that they derive from. */
const BROWSERS = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'];
const SYSTEMS = ['iPhone', 'iPad', 'Android', 'Windows', 'Macintosh', 'Linux'];
const NAMES: Record<string, string> = { Edg: 'Edge', OPR: 'Opera', Macintosh: 'macOS' };

function browserOf(userAgent: string | null): string {
  if (!userAgent) return words.unknownBrowser;
  const found = [BROWSERS, SYSTEMS].map((names) => names.find((name) => userAgent.includes(name)));
  const text = found
    .filter((name) => name !== undefined)
    .map((name) => NAMES[name] ?? name)
    .join(' · ');
  return text || userAgent;
}
