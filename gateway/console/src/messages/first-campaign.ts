import type { Language } from '../config/language.js';

interface Guide {
  title: string;
  intro: string;
  /** The path is that of the page that the step is done on. */
  steps: { title: string; text: string; path: string; isForLinks?: boolean }[];
}

/** The guide for a first campaign; apart from the other texts, since few users open it. */
export const FIRST_CAMPAIGN: Record<Language, Guide> = {
  en: {
    title: 'Your first campaign',
    intro: 'Six steps from a long address to the figures of a campaign. Each leads to the page where you do it.',
    steps: [
      {
        title: 'Make a link',
        text: 'Paste a long address into the field at the top and press Enter. The short link is copied, with a QR code ready to print.',
        path: 'links',
      },
      {
        title: 'Bring order into it',
        text: 'A link lies in one folder at most and has any number of tags. A UTM template fills in parameters, such as utm_source=poster, for new links.',
        path: 'folders',
        isForLinks: true,
      },
      {
        title: 'Bring the links that you have',
        text: 'A CSV file is checked first: you see every error before anything changes.',
        path: 'import',
        isForLinks: true,
      },
      {
        title: 'Print a QR code',
        text: 'Open a link, choose colours with enough contrast, and download SVG for print or PNG for screens. The destination can be changed later; the printed code stays.',
        path: 'links',
      },
      {
        title: 'See what happens',
        text: 'Give related links the same campaign. Click on any row of the analytics to filter by it, and compare with the period before.',
        path: 'analytics',
      },
      {
        title: 'Invite a colleague',
        text: 'Each member has a role: an editor makes links, an analyst also reads figures, a viewer only reads links.',
        path: 'members',
      },
    ],
  },
  de: {
    title: 'Ihre erste Kampagne',
    intro:
      'Sechs Schritte von einer langen Adresse zu den Zahlen einer Kampagne. Jeder führt zu der Seite, auf der Sie ihn tun.',
    steps: [
      {
        title: 'Einen Link erstellen',
        text: 'Fügen Sie oben eine lange Adresse ein und drücken Sie Enter. Der Kurzlink wird kopiert und hat einen druckfertigen QR-Code.',
        path: 'links',
      },
      {
        title: 'Ordnung schaffen',
        text: 'Ein Link liegt in höchstens einem Ordner und hat beliebig viele Tags. Eine UTM-Vorlage füllt für neue Links Parameter wie utm_source=plakat aus.',
        path: 'folders',
        isForLinks: true,
      },
      {
        title: 'Vorhandene Links mitbringen',
        text: 'Eine CSV-Datei wird zuerst geprüft: Sie sehen jeden Fehler, bevor sich etwas ändert.',
        path: 'import',
        isForLinks: true,
      },
      {
        title: 'Einen QR-Code drucken',
        text: 'Öffnen Sie einen Link, wählen Sie Farben mit genügend Kontrast und laden Sie SVG für den Druck oder PNG für Bildschirme herunter. Das Ziel lässt sich später ändern, der gedruckte Code bleibt.',
        path: 'links',
      },
      {
        title: 'Sehen, was geschieht',
        text: 'Geben Sie zusammengehörigen Links dieselbe Kampagne. Ein Klick auf eine Zeile der Auswertung filtert danach; vergleichen Sie mit dem Zeitraum davor.',
        path: 'analytics',
      },
      {
        title: 'Jemanden einladen',
        text: 'Jedes Mitglied hat eine Rolle: Die einen erstellen Links, andere lesen auch die Zahlen, wieder andere sehen nur die Links.',
        path: 'members',
      },
    ],
  },
};
