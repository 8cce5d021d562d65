import { expect, test } from 'vitest'
import { reportColumns, reportHeader, reportLine } from './report-row.ts'

test('a line has eleven columns, whatever its message contains', () => {
  expect(reportColumns).toHaveLength(11)
  expect(reportHeader.trimEnd().split('\t')).toEqual([...reportColumns])
  const message = 'a\tb\nc\r\u001b[2Jd\u2028e'
  const line = reportLine({ atMs: 1, kind: 'RUN_END', iteration: 2, exitCode: 0, message })
  expect(line.slice(0, -1).split('\t')).toEqual([
    '1',
    'RUN_END',
    '2',
    '',
    '0',
    '',
    '',
    '',
    'a b c [2Jd e',
    '',
    '',
  ])
  expect(line.endsWith('\n')).toBe(true)
})
