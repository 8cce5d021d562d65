import { isAbsolute } from 'node:path'
import { LoopError } from '../../loop/index.ts'

/** A relative path would mean another folder to the daemon than to its caller. */
export function requireAbsolute(path: string | undefined, field = 'file'): void {
  if (path === undefined || isAbsolute(path)) return
  const reason = `"${path.slice(0, 200)}" is not an absolute path. Use one that starts with /.`
  throw new LoopError('bad-request', reason, { details: { errors: [{ field, reason }] } })
}
