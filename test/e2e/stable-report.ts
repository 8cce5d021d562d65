/** What a run left in its folder, without what differs from run to run. */

export interface RunFiles {
  /** A folder of this test alone. */
  readonly folder: string
}

/** Without times, ids and places, and without the size of texts that contain one. */
export const normalize = (text: string, { folder }: RunFiles): string =>
  text
    .replaceAll(folder, '<folder>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/("\w+_ms"): \d+/g, '$1: <time>')

/** Written only if an iteration took long. */
const timed = 'WARN_ITERATION_LONG'
const measured = ['timestamp_ms', 'duration_ms', 'output_bytes', 'output_lines']

export function normalizeReport(text: string, files: RunFiles): string {
  const [head = '', ...rows] = normalize(text, files).trimEnd().split('\n')
  const columns = head.split('\t')
  const untimed = rows.filter((row) => row.split('\t')[columns.indexOf('kind')] !== timed)
  const normalized = untimed.map((row) =>
    row
      .split('\t')
      .map((cell, index) =>
        cell !== '' && measured.includes(columns[index] ?? '') ? '<number>' : cell,
      )
      .join('\t'),
  )
  return `${[head, ...normalized].join('\n')}\n`
}
