/**
 * The path of the relay program. Always the built file in `dist/`, even when running from sources as tests do:
 * build first.
 */

import { fileURLToPath } from 'node:url'

export function relayFile(own: string = import.meta.url): string {
  const built = own.endsWith('.ts') ? own.replace(/\/src\/(?!.*\/src\/)/, '/dist/') : own
  return fileURLToPath(new URL('./inside/relay.js', built))
}
