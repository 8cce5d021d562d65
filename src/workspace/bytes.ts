/**
 * File names and paths as bytes in any encoding, as the file system stores them. Represented as a string in
 * which each character is one byte, so that it can be a map key and sorts by bytes.
 */

export type Bytes = string

export const fromText = (text: string): Bytes => Buffer.from(text, 'utf8').toString('latin1')

export const fromBuffer = (buffer: Buffer): Bytes => buffer.toString('latin1')

/** For calls to the file system. */
export const toPath = (bytes: Bytes): Buffer => Buffer.from(bytes, 'latin1')

export const joinBytes = (folder: Bytes, name: Bytes): Bytes =>
  folder === '' ? name : `${folder}/${name}`

/** The bytes decoded as UTF-8, or undefined if they are not valid UTF-8. */
export function asText(bytes: Bytes): string | undefined {
  const text = toPath(bytes).toString('utf8')
  return !text.includes('\ufffd') || fromText(text) === bytes ? text : undefined
}

/** For display. Bytes that are not UTF-8 are written as `\xff`. */
export function toDisplay(bytes: Bytes): string {
  return asText(bytes) ?? bytes.replaceAll(/[^ -~]/g, (byte) => `\\x${hex(byte)}`)
}

export const hex = (byte: Bytes): string => byte.charCodeAt(0).toString(16).padStart(2, '0')
