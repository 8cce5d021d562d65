// Archives that a well-behaved tool would not write: with paths that leave the folder, links and
// devices.

import { gzipSync } from 'node:zlib'

export interface Entry {
  readonly name: string
  readonly content?: string
  /** A symbolic link to this. */
  readonly link?: string
  /** A hard link to this. */
  readonly hardLink?: string
  readonly mode?: number
}

export function tarball(entries: readonly Entry[]): Buffer {
  return gzipSync(Buffer.concat([...entries.flatMap(toBlocks), Buffer.alloc(1024)]))
}

function toBlocks({ name, content = '', link, hardLink, mode = 0o644 }: Entry): Buffer[] {
  const body = Buffer.from(content)
  const header = Buffer.alloc(512)
  const octal = (value: number, length: number): string =>
    `${value.toString(8).padStart(length - 1, '0')}\0`
  const type = link === undefined ? (hardLink === undefined ? '0' : '1') : '2'
  const isLink = type !== '0'
  header.write(name, 0, 100)
  header.write(octal(mode, 8), 100)
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(isLink ? 0 : body.length, 12), 124)
  header.write(octal(0, 12), 136)
  header.write('        ', 148)
  header.write(type, 156)
  header.write(link ?? hardLink ?? '', 157, 100)
  header.write('ustar\0', 257)
  header.write('00', 263)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  if (isLink) return [header]
  return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)]
}
