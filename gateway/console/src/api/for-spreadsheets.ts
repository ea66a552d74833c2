/** The parameter of exports that people open in Excel, which needs a mark to read them as UTF-8. */
export const FOR_SPREADSHEETS = { bom: 'true' };
