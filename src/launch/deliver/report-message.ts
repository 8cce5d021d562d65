/** A report of a round as the message that receivers get. Agents wrote parts of it: nothing in it is an address or markup. */

import { createHash } from 'node:crypto'
import { levelNames } from '../../loop/index.ts'
import { cleanLine, cleanText } from '../../loops/context/gather.ts'
import { renderRoundReport } from '../../protocol/round/render-round-report.ts'
import type { RoundReport } from '../../protocol/round/round-report.ts'

export interface ReportMessage {
  /** The same for every try and every receiver, so that receivers can drop duplicates. */
  readonly id: string
  readonly subject: string
  readonly text: string
  readonly atMs: number
  readonly report: RoundReport
}

const textCharsMax = 100_000
const subjectCharsMax = 200

export function toMessage(report: RoundReport, run: string, seq: number): ReportMessage {
  const hash = createHash('sha256')
    .update(JSON.stringify([run, seq]))
    .digest('hex')
  const { level, loop, outcome, endedAtMs: atMs } = report
  const subject = cleanLine(`[${levelNames[level]}] ${loop}: ${outcome.type}`, subjectCharsMax)
  const { text } = cleanText(renderRoundReport(report), textCharsMax)
  return { id: `report_${hash.slice(0, 32)}`, subject, text: `${text}\n`, atMs, report }
}

const slackCharsMax = 2900

/** Block Kit. `text` is for notifications. */
export function toSlack({ id, subject, text, report: { run } }: ReportMessage): object {
  const shown = text.length > slackCharsMax ? `${text.slice(0, slackCharsMax)}…` : text
  return {
    text: escapeSlack(subject),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: subject.slice(0, 150), emoji: false } },
      { type: 'section', text: { type: 'plain_text', text: shown, emoji: false } },
      {
        type: 'context',
        elements: [{ type: 'plain_text', text: `run ${run} · ${id}`, emoji: false }],
      },
    ],
  }
}

/** No mentions, no links. */
const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** As `sendmail -t` reads it. The body is encoded, so that no line of it is a header or an end. */
export function toMail({ id, subject, text, atMs }: ReportMessage, to: string): string {
  const encoded = Buffer.from(text, 'utf8').toString('base64')
  return [
    `To: ${to}`,
    `Subject: =?utf-8?B?${Buffer.from(subject, 'utf8').toString('base64')}?=`,
    `Date: ${new Date(atMs).toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id}@loopwright.localhost>`,
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
    '',
    ...(encoded.match(/.{1,76}/g) ?? []),
    '',
  ].join('\r\n')
}
