import { currentLanguage } from '../config/language.js';
import type { Texts } from './texts.js';

const en = {
  rootUrl: 'Address for the bare host name',
  rootHint: 'Visitors of the host name without a short code are sent there. Empty: as for unknown short codes.',
  expiredUrl: 'Address for links that have closed',
  expiredHint: 'Unless a link has one of its own. Empty for a page that says that the link has ended.',
  indexable: 'Search engines may index the short links',
  indexableHint: 'Normally only the pages that they lead to are wanted there.',
  appLinks: 'App links',
  appLinksText: 'With these files, iOS and Android open the links of this domain in your app.',
  appLinksDocs: 'What belongs in them',
  files: {
    apple_app_site_association: 'iOS: apple-app-site-association (JSON)',
    assetlinks: 'Android: assetlinks.json (JSON)',
  },
  notJson: 'This is not JSON. Check commas, quotes and brackets.',
  notJsonAt: (line: string) => `This is not JSON. Check commas, quotes and brackets near line ${line}.`,
};

const de: Texts<typeof en> = {
  rootUrl: 'Adresse für den bloßen Hostnamen',
  rootHint: 'Dorthin kommen Besucher des Hostnamens ohne Kurzcode. Leer: wie bei unbekannten Kurzcodes.',
  expiredUrl: 'Adresse für geschlossene Links',
  expiredHint: 'Außer ein Link hat eine eigene. Leer für eine Seite, die sagt, dass der Link abgelaufen ist.',
  indexable: 'Suchmaschinen dürfen die Kurzlinks aufnehmen',
  indexableHint: 'Üblich sind dort nur die Seiten, zu denen sie führen.',
  appLinks: 'App-Links',
  appLinksText: 'Mit diesen Dateien öffnen iOS und Android die Links dieser Domain in Ihrer App.',
  appLinksDocs: 'Was hineingehört',
  files: {
    apple_app_site_association: 'iOS: apple-app-site-association (JSON)',
    assetlinks: 'Android: assetlinks.json (JSON)',
  },
  notJson: 'Das ist kein JSON. Prüfen Sie Kommas, Anführungszeichen und Klammern.',
  notJsonAt: (line) => `Das ist kein JSON. Prüfen Sie Kommas, Anführungszeichen und Klammern bei Zeile ${line}.`,
};

/** Apart from the other texts, since few users change a domain. */
export const domainSettings = { en, de }[currentLanguage()];
