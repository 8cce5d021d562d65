/**
 * Names and paths as the file system has them: bytes, in any encoding or none. Here a string in
 * which each character is one byte, so that it can be a map's key and sorts by bytes.
 */

export type Bytes = string

export const fromText = (text: string): Bytes => Buffer.from(text, 'utf8').toString('latin1')

export const fromBuffer = (buffer: Buffer): Bytes => buffer.toString('latin1')

/** What the file system is given. */
export const toPath = (bytes: Bytes): Buffer => Buffer.from(bytes, 'latin1')

export const inside = (folder: Bytes, name: Bytes): Bytes =>
  folder === '' ? name : `${folder}/${name}`

/** The text that these bytes are in UTF-8, or undefined. */
export function asText(bytes: Bytes): string | undefined {
  const text = toPath(bytes).toString('utf8')
  return !text.includes('\ufffd') || fromText(text) === bytes ? text : undefined
}

/** For people. Bytes that are not UTF-8 are shown as `\xff`. */
export function show(bytes: Bytes): string {
  return asText(bytes) ?? bytes.replaceAll(/[^ -~]/g, (byte) => `\\x${hex(byte)}`)
}

export const hex = (byte: Bytes): string => byte.charCodeAt(0).toString(16).padStart(2, '0')
