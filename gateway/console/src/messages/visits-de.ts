import { isQr } from '../config/config.js';
import type { Texts } from './texts.js';
import type { visitsEn } from './visits-en.js';

const thing = isQr ? 'QR-Code' : 'Link';
const ofThing = isQr ? 'des QR-Codes' : 'des Links';

export const visitsDe: Texts<typeof visitsEn> = {
  when: {
    title: 'Wann',
    zone: (zone) => `Ihre Zeitzone: ${zone}`,
    incomplete: 'Geben Sie Datum und Uhrzeit ein.',
    clear: (name) => `Leeren: ${name}`,
    maxScansHint: 'Scans von Menschen; Bots zählen nicht. In der letzten Sekunde können einige mehr durchkommen.',
    expiredUrlHint: 'Dorthin kommen Besucher, wenn geschlossen ist.',
    always: 'Immer offen',
    opens: (time) => `Öffnet ${time}`,
    open: 'Offen',
    closes: (time) => `schließt ${time}`,
    closesAfter: (scans) => `schließt nach ${scans}`,
    closesFirst: (time, scans) => `schließt ${time} oder nach ${scans}, je nachdem, was zuerst eintritt`,
    scans: (count, text) => (count === 1 ? `${text} Scan` : `${text} Scans`),
    scansSoFar: (scans, soFar) => `${scans} (bisher ${soFar})`,
    closedSince: (time) => `Geschlossen seit ${time}`,
    usedUp: (scans) => `Geschlossen, die Höchstzahl von ${scans} ist erreicht`,
    archived: 'Geschlossen, solange er archiviert ist',
    blocked: 'Vom Betreiber gesperrt',
    before: `Vor der Öffnung sehen Besucher, dass der ${thing} noch nicht verfügbar ist (404).`,
    after: isQr
      ? 'Danach sehen Besucher, dass der QR-Code abgelaufen ist (410), oder kommen dorthin, wohin der Betreiber sie leitet.'
      : 'Danach kommen Besucher dorthin, wohin die Domain sie leitet, oder sehen, dass der Link abgelaufen ist (410).',
    afterAddress: (address) => `Danach kommen Besucher zu ${address}`,
  },
  where: {
    title: 'Wohin',
    summary: (status, parameters, hasPath) =>
      `${status}, Parameter ${parameters}${hasPath ? ', Pfad wird weitergegeben' : ''}`,
    statuses: {
      301: '301 Moved Permanently',
      302: '302 Found (empfohlen)',
      307: '307 Temporary Redirect',
      308: '308 Permanent Redirect',
    },
    statusHints: {
      301: 'Suchmaschinen halten die neue Adresse für die dauerhafte. Besuche werden trotzdem gezählt, Änderungen gelten trotzdem.',
      302: 'Was Browser, Apps und Suchmaschinen von einem Kurzlink erwarten.',
      307: 'Wie 302, aber Programme, die ein Formular oder Daten senden, wiederholen sie dort unverändert.',
      308: 'Wie 301, aber Programme, die ein Formular oder Daten senden, wiederholen sie dort unverändert.',
    },
    forwardExample: (from, to) => `${from} führt dann zu ${to}`,
    forwardOff: (from) => `${from} ist sonst „nicht gefunden“.`,
  },
  blocked: {
    title: (time) => `Vom Betreiber gesperrt seit ${time}.`,
    reason: (text) => `Grund: ${text}`,
    text: 'Besucher sehen, dass er gesperrt ist (451). Wenden Sie sich an den Betreiber, wenn Sie das für falsch halten.',
  },
  check: {
    title: 'Einen Besuch prüfen',
    intro: 'Was bekommt ein Besucher, und warum? Geprüft wird, was gespeichert ist; gezählt wird dabei nichts.',
    behind: 'Pfad und Parameter zum Ausprobieren',
    behindHint: `Hinter dem ${thing}, zum Beispiel /menu?table=4`,
    device: 'Gerät',
    devices: {
      windows: 'Windows-Computer',
      iphone: 'iPhone',
      android: 'Android-Telefon',
      search: 'Suchmaschine (Googlebot)',
      whatsapp: 'Vorschau in WhatsApp',
    },
    country: 'Land',
    language: 'Sprache',
    any: 'Keine Angabe',
    at: 'Zeit des Besuchs',
    atHint: (zone) => `Leer für jetzt. Ihre Zeitzone: ${zone}`,
    submit: 'Prüfen',
    counted: 'Zählt als Scan.',
    countedBot: 'Zählt als Besuch eines Bots, den die Zahlen auslassen.',
    botPattern: (pattern) => `Erkannt an „${pattern}“.`,
    notCounted: 'Zählt nicht als Scan.',
    steps: 'Schritte',
    names: {
      host: 'Host',
      code: 'Kurzcode',
      blocked: 'Gesperrt',
      archived: 'Archiviert',
      availability: 'Zeit und Höchstzahl',
      query: 'Parameter',
    },
    results: {
      host: {
        default: 'Der Standardhost',
        custom: 'Eine Domain dieses Arbeitsbereichs',
        unknown: 'Kein Host dieses Arbeitsbereichs',
        suspended: 'Die Links dieses Arbeitsbereichs werden nicht ausgeliefert',
      },
      code: {
        found: `Der Code ${isQr ? 'dieses QR-Codes' : 'dieses Links'}`,
        former: `Ein früherer Code ${ofThing}, der weiter dorthin führt`,
        unknown: 'Diesen Kurzcode gibt es nicht',
        no_code: 'Nicht der Pfad eines Kurzcodes',
        path_not_forwarded: 'Der Pfad hinter dem Kurzcode wird nicht weitergegeben',
      },
      blocked: { no: 'Nein', yes: 'Vom Betreiber gesperrt' },
      archived: { no: 'Nein', yes: 'Archiviert' },
      availability: {
        available: 'Offen',
        scheduled: 'Noch nicht offen',
        expired: 'Schon geschlossen',
        used_up: 'Die Höchstzahl der Scans ist erreicht',
      },
      query: {
        none: 'Der Besucher hat keine',
        append: 'Weitergegeben, nur UTM-Parameter ersetzt',
        override: 'Weitergegeben, anstelle der gleichnamigen',
        drop: 'Nicht weitergegeben',
        no_destination: 'Es gibt keine brauchbare Zieladresse',
      },
    },
    parameters: 'Parameter der Adresse',
    columns: { name: 'Name', value: 'Wert', from: 'Herkunft' },
    from: { destination: 'Zieladresse', utm_defaults: `UTM ${ofThing}`, visitor: 'Besucher' },
  },
};
