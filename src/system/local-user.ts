/** The name of the user that this process belongs to, whatever the environment says. */

import { userInfo } from 'node:os'

export function localUser(): string {
  try {
    return userInfo().username
  } catch {
    // In a container the user may have no name.
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
