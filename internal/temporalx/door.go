package temporalx

import (
	"context"

	"go.temporal.io/sdk/worker"
)

// Door holds back new work of a worker. It is safe for many goroutines.
type Door interface {
	// Open reports whether new work may come now.
	Open() bool
	// Wait blocks until it may, or ctx ends.
	Wait(ctx context.Context) error
}

// sdkSlots is the SDK's own number of slots of each kind.
const sdkSlots = 1000

// gated hands out slots while its door is open.
type gated struct {
	worker.SlotSupplier
	door Door
}

// ReserveSlot implements worker.SlotSupplier.
func (g gated) ReserveSlot(ctx context.Context, info worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	if err := g.door.Wait(ctx); err != nil {
		return nil, err
	}
	return g.SlotSupplier.ReserveSlot(ctx, info)
}

// TryReserveSlot implements worker.SlotSupplier.
func (g gated) TryReserveSlot(info worker.SlotReservationInfo) *worker.SlotPermit {
	if !g.door.Open() {
		return nil
	}
	return g.SlotSupplier.TryReserveSlot(info)
}

// tuner gives a worker as many slots as the SDK would, behind doors.
func tuner(s WorkerSettings) worker.WorkerTuner {
	size := func(n int, door Door) worker.SlotSupplier {
		if n <= 0 {
			n = sdkSlots
		}
		fixed, err := worker.NewFixedSizeSlotSupplier(n)
		if err != nil || door == nil { // n is positive
			return fixed
		}
		return gated{fixed, door}
	}
	t, _ := worker.NewCompositeTuner(worker.CompositeTunerOptions{ // it has no error to return
		WorkflowSlotSupplier: size(sdkSlots, s.WorkflowDoor), ActivitySlotSupplier: size(s.Slots, s.Door),
		LocalActivitySlotSupplier: size(sdkSlots, nil), NexusSlotSupplier: size(sdkSlots, nil), SessionActivitySlotSupplier: size(sdkSlots, nil),
	})
	return t
}
