import { readFileSync } from 'node:fs'

const SETTING = '/proc/sys/kernel/apparmor_restrict_unprivileged_userns'

/** Whether this system forbids Chromium's sandbox to programs without an AppArmor profile (Ubuntu since 23.10). */
export const restrictsUserNamespaces = (setting = SETTING): boolean => {
  try {
    return readFileSync(setting, 'utf8').trim() === '1'
  } catch {
    return false // no AppArmor
  }
}
