import { useEffect, useState } from 'preact/hooks';
import { hasSingleSignOn, singleSignOnAddress } from '../api/sign-in.js';
import { membership, pageOf } from '../app/session.js';
import { Page } from '../components/page.js';
import { t } from '../messages/messages.js';

const words = t.secondFactorNeeded;

/** In place of every page of a workspace that requires a second factor, which this member does not have. */
export default function SecondFactorNeeded() {
  const [isSingleSignOn, setSingleSignOn] = useState(false);
  useEffect(() => void hasSingleSignOn().then(setSingleSignOn), []);
  return (
    <Page title={words.title}>
      <div class="stack">
        <p>{words.text(membership.value?.name ?? '')}</p>
        <p>
          <a class="button primary" href={pageOf('profile')}>
            {words.enable}
          </a>
        </p>
        {isSingleSignOn && (
          <p>
            <a href={singleSignOnAddress(location.pathname)}>{words.singleSignOn}</a>
          </p>
        )}
      </div>
    </Page>
  );
}
