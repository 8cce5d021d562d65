/**
 * Where our program for the inside is. It is always the built one. Running from the sources, as tests
 * do, it is in `dist/`: build first.
 */

import { fileURLToPath } from 'node:url'

export function relayFile(own: string = import.meta.url): string {
  const built = own.endsWith('.ts') ? own.replace(/\/src\/(?!.*\/src\/)/, '/dist/') : own
  return fileURLToPath(new URL('./inside/relay.js', built))
}
