/**
 * HTML from untrusted data. Every value that is put into a template is escaped; only templates make elements. Control
 * characters that would hide or turn text around are shown as their code.
 */

export interface Html {
  readonly html: string
}

type Part = Html | string | number | undefined | readonly Part[]

/** Markup is only what stands in the source of this program. Attributes are always in double quotes. */
export const html = (texts: TemplateStringsArray, ...parts: readonly Part[]): Html => ({
  html: texts.map((text, at) => text + (at < parts.length ? render(parts[at]) : '')).join(''),
})

export const nothing: Html = { html: '' }

function render(part: Part): string {
  if (part === undefined) return ''
  if (typeof part === 'string') return escapeText(part)
  if (typeof part === 'number') return String(part)
  if ('html' in part) return part.html
  return part.map(render).join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** Besides line breaks and tabs: control characters, and those that change the direction of text or have no width. */
const hidden =
  /(?![\n\t])[\p{Cc}\p{Cs}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu

export const escapeText = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    .replaceAll(hidden, nameOf)
    .replaceAll(/[&<>"'`]/g, (one) => entities[one] ?? '')

/** Zero-width joiners are part of emoji. */
const nameOf = (one: string): string =>
  one === '\u200d'
    ? one
    : `[U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`
