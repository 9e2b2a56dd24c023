// Names of files that Windows takes for devices, changes, or refuses.

/** With any ending, and with the superscript digits, too. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i
const REFUSED = /[\u0000-\u001f<>:"/\\|?*]/

/** Why Windows cannot have a file with this name; undefined if it can. */
export const windowsNameFault = (name: string): string | undefined => {
  if (DEVICE.test(name)) return 'Windows reserves this name for a device'
  if (/[. ]$/.test(name)) return 'Windows removes a dot or a space at the end of a name'
  const [character] = REFUSED.exec(name) ?? []
  return character === undefined ? undefined : `Windows does not allow ${JSON.stringify(character)} in a name`
}
