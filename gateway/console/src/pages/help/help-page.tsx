import { pageOf } from '../../app/session.js';
import { Page } from '../../components/page.js';
import { isQr } from '../../config/config.js';
import { currentLanguage } from '../../config/language.js';
import { FIRST_CAMPAIGN } from '../../messages/first-campaign.js';

export default function HelpPage() {
  const { title, intro, steps } = FIRST_CAMPAIGN[currentLanguage()];
  const shown = steps.filter(({ isForLinks }) => !isForLinks || !isQr);
  return (
    <Page title={title}>
      <section class="panel">
        <p class="panel-body">{intro}</p>
        <ol class="rows">
          {shown.map((step, index) => (
            <li key={step.title}>
              <a class="row-title" href={pageOf(step.path)}>
                {index + 1}. {step.title}
              </a>
              <p>{step.text}</p>
            </li>
          ))}
        </ol>
      </section>
    </Page>
  );
}
