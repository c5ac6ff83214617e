/** On an attachment that was made for a pod's own volume: the namespace whose secrets it uses. Written by whoever made the attachment. */
export const IN_LINE_NAMESPACE_ANNOTATION = 'attach-detach.holdfast.dev/namespace'
