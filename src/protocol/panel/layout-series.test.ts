import { expect, test } from 'vitest'
import { formatValue, layoutSeries } from './layout-series.ts'
import type { Panel } from './panel.ts'

const series = (points: Extract<Panel, { type: 'series' }>['lines'][number]['points']) =>
  layoutSeries({
    type: 'series',
    title: 'Scores',
    x: 'iteration',
    y: 'score',
    isShare: true,
    lines: [{ name: 'best', points }],
    marks: [{ name: 'baseline', y: 0.5 }],
  })

test('points, intervals and marks lie inside of the axes, a larger value higher', () => {
  const { area, lines, marks, xTicks } = series([
    { x: 0, y: 0.5, low: 0.4, high: 0.6 },
    { x: 1, y: 0.75, low: 0.6, high: 0.9, text: '3 of 4' },
    { x: 3, y: 0.2 },
  ])
  const [line] = lines
  const heights = line?.points.flatMap(({ y, ends = [] }) => [y, ...ends]) ?? []
  for (const y of [...heights, ...marks.map((one) => one.y)]) {
    expect(y).toBeGreaterThanOrEqual(area.top)
    expect(y).toBeLessThanOrEqual(area.bottom)
  }
  expect(line?.points.map(({ x }) => x)).toEqual([area.left, expect.any(Number), area.right])
  expect(line?.points[1]?.y).toBeLessThan(line?.points[0]?.y ?? 0)
  expect(line?.points[1]?.text).toBe('best, iteration 1: 75 % (60 % to 90 %). 3 of 4')
  expect(line?.band).toMatch(/^M[\d. L]+Z$/)
  expect(xTicks.map(({ text }) => text)).toEqual(['0', '1', '2', '3'])
})

test('no point, one point and equal values have a drawing too', () => {
  expect(series([]).lines[0]?.path).toBe('')
  for (const points of [
    [{ x: 5, y: 0 }],
    [
      { x: 1, y: 1e9 },
      { x: 2, y: 1e9 },
    ],
  ]) {
    const numbers = JSON.stringify(series(points))
    expect(numbers).not.toMatch(/null|NaN|Infinity/)
  }
})

test.each([
  [0.1234, true, '12.3 %'],
  [1, true, '100 %'],
  [-0.05, true, '-5 %'],
  [1234.5, false, '1,235'],
  [0.012, false, '0.012'],
])('%d as a share (%s) is %s', (value, isShare, text) => {
  expect(formatValue(value, isShare)).toBe(text)
})
