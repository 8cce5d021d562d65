import { isAbsolute } from 'node:path'
import { LoopError } from '../../loop/index.ts'

/** A relative path would mean another folder to the daemon than to its caller. */
export function requireAbsolute(path: string | undefined): void {
  if (path === undefined || isAbsolute(path)) return
  throw new LoopError('bad-request', `"${path.slice(0, 200)}" is not an absolute path.`)
}
