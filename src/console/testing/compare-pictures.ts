/// <reference lib="dom" />
import type { Page } from 'playwright-core'

export type Difference =
  | { readonly kind: 'size'; readonly expected: string; readonly actual: string }
  /** How many of a million pixels differ. */
  | { readonly kind: 'pixels'; readonly perMillion: number }

/** The picture, small enough to be kept. Both sides of a comparison lose the same. `page` is an empty one, which may load anything. */
export async function toWebp(page: Page, png: Buffer): Promise<Buffer> {
  const url = await page.evaluate(
    async (given) => {
      const image = new Image()
      image.src = given
      await image.decode()
      const canvas = document.createElement('canvas')
      ;[canvas.width, canvas.height] = [image.width, image.height]
      canvas.getContext('2d')?.drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', 0.5)
    },
    `data:image/png;base64,${png.toString('base64')}`,
  )
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}

/**
 * Compares two pictures in an empty page of the browser, which can decode them. A pixel differs if nothing in the reference within one pixel of its place
 * resembles it: the edges of letters may be smoothed otherwise.
 */
export function comparePictures(page: Page, expected: Buffer, actual: Buffer): Promise<Difference> {
  const urls = [expected, actual].map((picture) => `data:image/webp;base64,${picture.toString('base64')}`)
  return page.evaluate(async (given): Promise<Difference> => {
    const ALIKE = 40
    const decode = async (url = ''): Promise<ImageData> => {
      const image = new Image()
      image.src = url
      await image.decode()
      const { width, height } = image
      const drawing = new OffscreenCanvas(width, height).getContext('2d')
      if (!drawing) throw new Error('no canvas')
      drawing.drawImage(image, 0, 0)
      return drawing.getImageData(0, 0, width, height)
    }
    const [one, other] = await Promise.all([decode(given[0]), decode(given[1])])
    const { width, height } = one
    if (width !== other.width || height !== other.height)
      return { kind: 'size', expected: `${width}×${height}`, actual: `${other.width}×${other.height}` }
    const isAlike = (at: number, from: number): boolean =>
      [0, 1, 2].every((channel) => Math.abs((one.data[from + channel] ?? 0) - (other.data[at + channel] ?? 0)) <= ALIKE)
    const resemblesNear = (x: number, y: number): boolean => {
      for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++)
        for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++)
          if (isAlike(4 * (y * width + x), 4 * (row * width + column))) return true
      return false
    }
    let differing = 0
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const at = 4 * (y * width + x)
        if (!isAlike(at, at) && !resemblesNear(x, y)) differing++
      }
    return { kind: 'pixels', perMillion: Math.round((1e6 * differing) / (width * height)) }
  }, urls)
}
