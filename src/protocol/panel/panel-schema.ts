/** The schema of panels, with the limits of each part. */

import { z } from 'zod'
import { exactly } from '../exactly.ts'
import { isJsonObject, listOf, ordinal, published } from '../values.ts'
import type {
  DiffPanel,
  MatrixPanel,
  Panel,
  PanelCell,
  PanelHead,
  RunPanels,
  SeriesPanel,
  TablePanel,
  TextPanel,
} from './panel.ts'

export const panelsMax = 20
/** Of all panels together, as JSON. */
export const panelCharsMax = 1_000_000

const name = z.string().max(200)
const line = z.string().max(2000)
const long = z.string().max(50_000)
const value = z.number().refine(Number.isFinite)

const toneSchema = z.enum(['plain', 'good', 'warn', 'bad', 'muted'])

const cellSchema: z.ZodType<PanelCell> = z.union([
  line,
  value,
  z.strictObject({
    text: line,
    tone: toneSchema.exactOptional(),
    hint: line.exactOptional(),
    iteration: ordinal.exactOptional(),
  }),
])

const head = {
  title: name,
  text: line.exactOptional(),
  leftOut: line.exactOptional(),
}

const columnNames = listOf(name, 100)

const tableSchema = exactly<PanelHead & TablePanel>()(
  z.strictObject({
    ...head,
    type: z.literal('table'),
    columns: columnNames,
    rows: listOf(listOf(cellSchema, 100), 1000),
    board: z
      .strictObject({ column: z.int().min(0).max(99), lanes: listOf(name, 12) })
      .exactOptional(),
  }),
)

const seriesSchema = exactly<PanelHead & SeriesPanel>()(
  z.strictObject({
    ...head,
    type: z.literal('series'),
    x: name,
    y: name,
    isShare: z.boolean().exactOptional(),
    lines: listOf(
      z.strictObject({
        name,
        tone: toneSchema.exactOptional(),
        points: listOf(
          z.strictObject({
            x: value,
            y: value,
            low: value.exactOptional(),
            high: value.exactOptional(),
            text: line.exactOptional(),
          }),
          1000,
        ),
      }),
      8,
    ),
    marks: listOf(z.strictObject({ name, y: value }), 8).exactOptional(),
  }),
)

const diffSchema = exactly<PanelHead & DiffPanel>()(
  z.strictObject({
    ...head,
    type: z.literal('diff'),
    changes: listOf(z.strictObject({ path: line, before: long, after: long }), 50),
    answer: z.strictObject({ question: line, option: line }).exactOptional(),
  }),
)

const matrixSchema = exactly<PanelHead & MatrixPanel>()(
  z.strictObject({
    ...head,
    type: z.literal('matrix'),
    row: name,
    columns: columnNames,
    rows: listOf(
      z.strictObject({
        name,
        cells: listOf(
          z
            .strictObject({
              text: name,
              tone: toneSchema,
              flip: z.enum(['better', 'worse']).exactOptional(),
            })
            .nullable(),
          100,
        ),
      }),
      500,
    ),
  }),
)

const textSchema = exactly<PanelHead & TextPanel>()(
  z.strictObject({ ...head, type: z.literal('text'), body: long }),
)

const schemas: Readonly<Record<Panel['type'], z.ZodType<Panel>>> = {
  table: tableSchema,
  series: seriesSchema,
  diff: diffSchema,
  matrix: matrixSchema,
  text: textSchema,
}

export const panelSchema: z.ZodType<Panel> = z
  .union([tableSchema, seriesSchema, diffSchema, matrixSchema, textSchema])
  .register(published, { id: 'Panel' })

export const runPanelsSchema: z.ZodType<RunPanels> = exactly<RunPanels>()(
  z.strictObject({ name: z.string(), items: listOf(panelSchema), problems: listOf(z.string()) }),
).register(published, { id: 'RunPanels' })

/** What a loop returned as its panels. A part that is not right is a problem, never an error: it only is not shown. */
export function readPanels(given: unknown): Omit<RunPanels, 'name'> {
  if (!Array.isArray(given)) return { items: [], problems: ['The panels are not a list.'] }
  const items: Panel[] = []
  const problems: string[] = []
  let chars = 0
  for (const [at, one] of given.slice(0, panelsMax).entries()) {
    const found = readPanel(one)
    const size = typeof found === 'string' ? 0 : JSON.stringify(found).length
    chars += size
    if (typeof found === 'string') problems.push(`Panel ${at + 1} is not shown: ${found}`)
    else if (chars > panelCharsMax)
      problems.push(`Panel ${at + 1} is not shown: all panels together are larger than 1 MB.`)
    else items.push(found)
  }
  const more = given.length - panelsMax
  if (more > 0) problems.push(`${more} more panels are not shown: the limit is ${panelsMax}.`)
  return { items, problems }
}

function readPanel(given: unknown): Panel | string {
  const type: unknown = isJsonObject(given) ? given['type'] : undefined
  const isKnown = typeof type === 'string' && Object.hasOwn(schemas, type)
  if (!isKnown) return `its type is not one of ${Object.keys(schemas).join(', ')}.`
  const { data, error } = schemas[type as Panel['type']].safeParse(given)
  if (data !== undefined) return findMisfit(data) ?? data
  const [issue] = error?.issues ?? []
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is not valid'}`.slice(0, 300)
}

/** What the schema cannot say: each row has a cell for each column. */
function findMisfit(panel: Panel): string | undefined {
  if (panel.type === 'matrix') {
    const row = panel.rows.findIndex(({ cells }) => cells.length !== panel.columns.length)
    return row === -1 ? undefined : `row ${row + 1} does not have a cell for each column.`
  }
  if (panel.type !== 'table') return undefined
  const { columns, rows, board } = panel
  if (board !== undefined && board.column >= columns.length) return 'its board has no such column.'
  const row = rows.findIndex((cells) => cells.length !== columns.length)
  return row === -1 ? undefined : `row ${row + 1} does not have a cell for each column.`
}
