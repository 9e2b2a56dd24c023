/** A path as one word of a command that the user copies, in POSIX shells, or in PowerShell and cmd.exe. */
export const shellWord = (text: string, platform: NodeJS.Platform = process.platform): string => {
  // Unquoted, PowerShell takes an @ in front for a variable, and a comma for a list.
  if (platform === 'win32') return /^(?!@)[\w@%+=:./\\-]+$/.test(text) ? text : `"${text}"`
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
