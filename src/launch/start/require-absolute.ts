import { isAbsolute } from 'node:path'
import { LoopError } from '../../loop/index.ts'

/** A relative path would mean another folder to the daemon than to its caller. */
export function requireAbsolute(path: string | undefined): void {
  if (path === undefined || isAbsolute(path)) return
  const message = `"${path.slice(0, 200)}" is not an absolute path.`
  throw new LoopError('bad-request', `${message} Use one that starts with /.`)
}
