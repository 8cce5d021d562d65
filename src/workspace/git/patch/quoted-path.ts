/** Parses paths that git quotes because they contain unusual bytes. */

import type { Bytes } from '../../bytes.ts'

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
}

export function unquote(path: Bytes): Bytes {
  if (!path.startsWith('"') || !path.endsWith('"') || path.length < 2) return path
  return path
    .slice(1, -1)
    .replaceAll(/\\([0-7]{3}|.)/gs, (_, escape: string) =>
      /^[0-7]{3}$/.test(escape)
        ? String.fromCharCode(Number.parseInt(escape, 8))
        : (escapes[escape] ?? escape),
    )
}
