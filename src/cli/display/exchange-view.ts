/** Exchanges with models: a table of those of an iteration, or a single one in full. */

import type { Exchange, ExchangeBody } from '../../history/load-exchange.ts'
import type { Style } from '../terminal.ts'
import { plural, renderCount, renderMoney, renderSpan, renderSplit } from './amounts.ts'
import type { ExchangeRecord } from './iteration-record.ts'
import { renderTable, renderTime, visible, visibleText } from './render.ts'
import { stepName } from './step-lines.ts'

/** Empty if no model was called. The numbers are those that `--exchange` takes. */
export function renderExchanges(style: Style, exchanges: readonly ExchangeRecord[]): string[] {
  if (exchanges.length === 0) return []
  const isSingle = new Set(exchanges.map(({ step, attempt }) => `${step} ${attempt}`)).size === 1
  const rows = exchanges.map((one, index) => [
    String(index + 1),
    ...(isSingle ? [] : [whoOf(one)]),
    `${one.provider} ${one.model}`,
    one.ended,
    `${renderCount(one.spent.tokens)}${renderSplit(one.spent)}`,
    renderMoney(one.spent.costMicros),
    renderSpan(one.durationMs),
    one.isEstimated ? 'estimated' : '',
  ])
  const head = ['#', ...(isSingle ? [] : ['STEP']), 'MODEL', 'ENDED', 'TOKENS', 'COST', 'TOOK']
  const table = renderTable([head, ...rows])
  return [
    style.bold(`${plural(exchanges.length, 'exchange')} with models`),
    ...table.split('\n').map((line) => `  ${line}`),
  ]
}

const whoOf = ({ step, attempt }: ExchangeRecord): string =>
  attempt === 1 ? stepName(step) : `${stepName(step)}, attempt ${attempt}`

export function renderExchange(style: Style, exchange: Exchange): string {
  const { format, provider, model, ended, attempts, usage, spent, isEstimated } = exchange
  const { request, answer } = exchange
  const isTruncated = answer.isTruncated ? ', truncated' : ''
  const cost = `${renderCount(spent.tokens)} tokens, ${renderMoney(spent.costMicros)}`
  const cached = usage.cacheRead + usage.cacheWrite + usage.cacheWriteHour
  const tokens = `${renderCount(usage.input)} in, ${renderCount(cached)} cached, ${renderCount(usage.output)} out`
  return [
    style.bold(visible(`${provider} ${model}: ${ended}`)),
    visible(
      `step ${exchange.step}, exchange ${exchange.ordinal}, at ${renderTime(exchange.atMs)}, ${renderSpan(exchange.durationMs)}`,
    ),
    `${cost}${isEstimated ? ' (estimated)' : ''}: ${tokens}; ${plural(attempts, 'request')} sent`,
    ...(exchange.trouble === undefined ? [] : [style.yellow(visible(exchange.trouble.message))]),
    '',
    style.bold(visible(`request, ${format} format, POST ${request.path}`)),
    bodyText(request.body),
    '',
    style.bold(`answer, status ${answer.status}${isTruncated}`),
    bodyText(answer.body),
  ].join('\n')
}

/** JSON is indented; a stream is shown as received. */
function bodyText({ encoding, text }: ExchangeBody): string {
  if (encoding === 'base64') return `(not text: ${plural(text.length, 'character')} of base64)`
  return visibleText(pretty(text).trimEnd())
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
