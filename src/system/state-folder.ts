/** The default state folder of an installation. */

import { homedir } from 'node:os'
import { join } from 'node:path'

export function stateFolder(env: NodeJS.ProcessEnv = process.env): string {
  const explicit = env['LOOPWRIGHT_STATE']
  if (explicit !== undefined && explicit !== '') return explicit
  const data = env['XDG_DATA_HOME']
  const base = data !== undefined && data !== '' ? data : join(homedir(), '.local', 'share')
  return join(base, 'loopd')
}
